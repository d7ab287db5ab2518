"""Run a compiler, a program or ncu in a child process, and say in one line why it failed."""
