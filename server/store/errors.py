"""What can be wrong with a store, whichever engine it has."""


class StoreError(Exception):
    """A store that cannot be used; says what was found, what was expected and what to do."""


class StoreNotFound(StoreError):
    """There is no store at that address, and none was to be made."""


class KeyFileError(StoreError):
    """The private keys of tokens are not there, or not as they have to be; for the operator."""


class StoreUnavailable(StoreError):
    """The store was opened, but cannot do now what is asked: locked, full, broken or out of reach.

    What was to be written is not there, or at least may not be acknowledged. The message holds
    nothing of what was to be written, so that it may stand in a log.
    """
