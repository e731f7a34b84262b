"""The memory as agents' programs reach it: tools, resources and prompts of the MCP."""
