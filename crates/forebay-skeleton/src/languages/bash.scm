(function_definition name: (_) @name body: (_) @body) @item.function
(program (declaration_command (variable_assignment name: (_) @name value: (_)? @value)) @item.variable)
(program (variable_assignment name: (_) @name value: (_)? @value) @item.variable)
(comment) @comment
((command name: (command_name) @_word argument: (_) @import) (#any-of? @_word "." "source"))
