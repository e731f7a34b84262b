"""What is typed: the commands, their arguments and options; a noun is a file.

The rule: a file here loads nothing but the parser. What a command does stands in the modules
beside this folder, and is loaded inside its body.
"""
