"""The one door: a document and where it came from → what it means, what is wrong with it, and what to say of it.

The program, the commands, promotion and the report come in by `documents.judge`; a job or a stack that is typed
already, and facts of what was observed, have a wing each (jobs, stacks, resources). Nothing else puts levels and
findings together.
"""
