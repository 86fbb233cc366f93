(function_declaration name: (_) @name body: (_)? @body) @item.function
(assignment_statement (variable_list name: (_) @name) (expression_list value: (function_definition body: (_)? @body))) @item.function
(chunk (assignment_statement (variable_list name: (_) @name) (expression_list) @value) @item.constant)
(chunk (return_statement (expression_list (_) @name)) @item.reexport)

[(if_statement) (for_statement) (while_statement) (do_statement)] @opaque
(comment) @comment
(function_call name: (identifier) @_require arguments: (arguments (string) @import) (#eq? @_require "require"))
