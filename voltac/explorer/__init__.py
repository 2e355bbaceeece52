"""``voltac explorer``: one local page that compiles while somebody types, and explains what each line became.

===================  ========================================================
``page.py``          the page, made of ``page.html``, ``page.css`` and scripts
``server.py``        HTTP on 127.0.0.1: the page, and the questions it asks
``workers.py``       a process for each question, ended when it takes too long
``answers.py``       what every question begins with; messages, explanation
``paths.py``         instructions with all lanes on, and under a mask
``stepping.py``      a call run by the interpreter, step by step
``arguments.py``     what such a call is given if nobody says
``recording.py``     what the steps are, and what each has changed
``shown_values.py``  objects of the program as texts
===================  ========================================================
"""
