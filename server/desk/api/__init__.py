"""The desk's HTTP API, for scripts.

============  ======================================================================================
`operations`  an operation: its route, its check, and its OpenAPI description
`routes`      the one table of operations, their answers, and the account of a request's token
============  ======================================================================================
"""
