"""The course: its exercises, predictions and progress, and the tools that keep and open its notebooks."""
