"""The course as a site: static pages to read, JupyterLite to work with in a browser alone, and slides.

    python -m autograd_nb.course.site html FOLDER
    python -m autograd_nb.course.site lite FOLDER
    python -m autograd_nb.course.site slides FOLDER
"""
