"""A traced run is the same run: over random programs, nothing that a user can notice differs, and
no hook that fired is missing from the record."""

from hypothesis import HealthCheck, given, settings
from random_programs import programs, run

from course import trace
from course.tracing.last import last

EXAMPLES = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@EXAMPLES
@given(programs)
def test_gradients_errors_warnings_and_hook_order_are_those_of_the_untraced_run(program):
    assert run(program, trace) == run(program)


@EXAMPLES
@given(programs)
def test_every_hook_that_fired_is_in_the_record_in_order(program):
    records = []

    def trace_and_keep(*args, **options):
        try:
            trace(*args, **options)
        finally:
            records.append(last().record)

    outcome = run(program, trace_and_keep)
    diary = outcome["diary of backward" if program.loss_only else "diary"]
    fired = [e.hook for record in records for e in record.events if e.hook]
    written = [name for name, *_ in diary]
    # Of a hook on a tensor that nobody holds only the code is known: there all are named "hook".
    assert [w if f == "hook" else f for f, w in zip(fired, written, strict=True)] == written
