"""The launcher's former name, for images and stacks whose command says `python -m infra.launcher`."""
