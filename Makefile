# The short names of what course/bootstrap.py does. People without make:
#     python course/bootstrap.py lab

PYTHON := $(shell command -v python3 2>/dev/null || command -v python 2>/dev/null)
RUN = @$(if $(PYTHON),"$(PYTHON)" course/bootstrap.py,echo "There is no Python here: install Python 3.11 to 3.14 and run this again." >&2; exit 1;)

.PHONY: help lab setup test test-torch build check site bench bench-grade doctor pin clean

help:
	@echo 'make lab       set up the course and open it in JupyterLab'
	@echo '               (LESSON=leaf_tensors opens that lesson; ARGS="--no-browser --port 8899")'
	@echo 'make setup     set up .venv with all that contributors need'
	@echo 'make test      set up what the tests need and run every test (ARGS="-k build")'
	@echo 'make test-torch TORCH=2.4.0'
	@echo '               run the tests of what torch does on that torch (or TORCH=oldest)'
	@echo 'make doctor    say what is wrong here and the command that mends it'
	@echo 'make build     build source/ and release/ from course/lessons/'
	@echo 'make check     judge every answer of the lessons'
	@echo 'make site      build the course as pages in build/site/html'
	@echo 'make bench     measure how fast things are'
	@echo 'make bench-grade'
	@echo '               measure the ways to mark a class (minutes)'
	@echo 'make pin       renew constraints.txt'
	@echo 'make clean     remove .venv and caches; notebooks, marks and submissions stay'

lab:
	$(RUN) lab $(LESSON) $(ARGS)

setup:
	$(RUN) setup

# With STATUS=FILE the status of pytest goes to that file, because make itself only knows "failed".
test:
	$(RUN) test $(ARGS)$(if $(findstring command line,$(origin STATUS)),; echo $$? > "$(STATUS)")

test-torch:
	$(RUN) test-torch $(TORCH) $(ARGS)

build:
	$(RUN) build $(ARGS)

check:
	$(RUN) check $(LESSON) $(ARGS)

site:
	$(RUN) site $(ARGS)

bench:
	$(RUN) bench $(ARGS)

bench-grade:
	$(RUN) bench grade grade_many

doctor:
	$(RUN) doctor $(ARGS)

pin:
	$(RUN) pin $(ARGS)

clean:
	$(RUN) clean
