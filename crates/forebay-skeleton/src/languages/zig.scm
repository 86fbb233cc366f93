; A function that returns a type is a generic type.
(function_declaration name: (_) @name body: (block (expression_statement (return_expression (struct_declaration) @members)) .) @body) @item.struct
(function_declaration name: (_) @name body: (block (expression_statement (return_expression (enum_declaration) @members)) .) @body) @item.enum
(function_declaration name: (_) @name body: (block (expression_statement (return_expression (union_declaration) @members)) .) @body) @item.union
((function_declaration name: (_) @name type: (builtin_type) @_type body: (_) @body) @item.struct
  (#eq? @_type "type"))
(function_declaration name: (_) @name body: (_)? @body) @item.function
(using_namespace_declaration (_) @name) @item.reexport
(variable_declaration . (identifier) @name (struct_declaration) @members) @item.struct
(variable_declaration . (identifier) @name (enum_declaration) @members) @item.enum
(variable_declaration . (identifier) @name (union_declaration) @members) @item.union
(variable_declaration . (identifier) @name (opaque_declaration) @members) @item.struct
(variable_declaration . (identifier) @name) @item.constant
(container_field name: (_) @name) @item.field

[(test_declaration) (comptime_declaration)] @opaque
(comment) @comment
(builtin_function (builtin_identifier) @_word (arguments (string) @import) (#eq? @_word "@import"))
