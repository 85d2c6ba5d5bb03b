"""The course: the textbook's own models, which no text model uses. They are exact and small, and made to be looked at.

`perceptron.py` is Rosenblatt's perceptron with all of its updates. `margin_svm.py` is the border with the largest margin,
hard or soft, with or without kernels, and `hulls.py` is the same border from the nearest points of two convex hulls. Both
solve a quadratic program (`quadratic_program.py`, by Clarabel).

Their pictures are in `tercet.figures` (`course_pictures.py`), and their points come from data/points.py. For texts, use the
linear models of `tercet.models`.
"""
