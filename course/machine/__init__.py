"""What it takes to run the course on a person's machine: the environment, JupyterLab, the versions.

Standard library only, because all of this runs before anything is installed.
"""
