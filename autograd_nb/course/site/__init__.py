"""The course as a site: static pages to read, with life in them, and JupyterLite to work in, in a browser alone.

    python -m autograd_nb.course.site html FOLDER
    python -m autograd_nb.course.site lite FOLDER
"""
