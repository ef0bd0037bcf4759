"""What is printed at true scale: the mat and the prompt cards."""
