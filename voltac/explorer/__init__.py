"""``voltac explorer``: one local page that compiles while somebody types, and explains what each line became.

=============  ==============================================================
``page.py``    the page, made of ``page.html``, ``page.css``, ``page.js``
``server.py``  HTTP on 127.0.0.1: the page, and the questions it asks
``workers.py`` a process for each question, ended when it takes too long
``answers.py`` what a question is answered with
=============  ==============================================================
"""
