(function_declaration name: (_) @name body: (_)? @body) @item.function
(variable_declaration . (identifier) @name (struct_declaration) @members) @item.struct
(variable_declaration . (identifier) @name (enum_declaration) @members) @item.enum
(variable_declaration . (identifier) @name (union_declaration) @members) @item.union
(variable_declaration . (identifier) @name (opaque_declaration) @members) @item.struct
(variable_declaration . (identifier) @name) @item.constant
(container_field name: (_) @name) @item.field

[(test_declaration) (comptime_declaration)] @opaque
(comment) @comment
(builtin_function (builtin_identifier) @_word (arguments (string) @import) (#eq? @_word "@import"))
