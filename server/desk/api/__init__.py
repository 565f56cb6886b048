"""What scripts ask of the desk over HTTP.

============  ======================================================================================
`operations`  what an operation is: its route, its check, and what OpenAPI says of it
`routes`      the one table of operations, their answers, and whose token a request shows
============  ======================================================================================
"""
