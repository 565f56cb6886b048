"""What scripts ask of the desk over HTTP.

============  ======================================================================================
`operations`  the one table of the API
`routes`      its answers, and whose token a request shows
`openapi`     the same as OpenAPI describes it
============  ======================================================================================
"""
