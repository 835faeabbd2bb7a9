"""FlowSchemas: rules that assign requests to priority levels."""
