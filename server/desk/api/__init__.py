"""What scripts ask of the desk over HTTP.

============  ======================================================================================
`operations`  what scripts can ask for: the one table of the API
`routes`      its answers
`openapi`     the same as OpenAPI describes it
============  ======================================================================================
"""
