(function_declaration name: (_) @name body: (_) @body) @item.function
(generator_function_declaration name: (_) @name body: (_) @body) @item.function

(class_declaration name: (_) @name body: (_) @members) @item.class
(class_body (method_definition name: (_) @name body: (_) @body) @item.method)
(class_body (field_definition property: (_) @name value: (arrow_function body: (_) @body)) @item.method)
(class_body (field_definition property: (_) @name value: (_)? @value) @item.field)

; Values; a function by another name is a function.
(variable_declarator name: (_) @name value: (arrow_function body: (_) @body)) @item.function
(variable_declarator name: (_) @name value: (function_expression body: (_) @body)) @item.function
(variable_declarator name: (_) @name value: (class body: (_) @members)) @item.class
(variable_declarator name: (identifier) @name value: (_)? @value) @item.constant
(variable_declarator name: (object_pattern [(shorthand_property_identifier_pattern) @name (pair_pattern value: (identifier) @name)]) value: (_)? @value) @item.constant
(variable_declarator name: (array_pattern (identifier) @name) value: (_)? @value) @item.constant

; Modules as they were before `export`.
(expression_statement (assignment_expression left: (member_expression) @name right: (function_expression body: (_) @body))) @item.function
(expression_statement (assignment_expression left: (member_expression) @name right: (arrow_function body: (_) @body))) @item.function
(expression_statement (assignment_expression left: (member_expression) @name right: (class body: (_) @members))) @item.class
((expression_statement (assignment_expression left: (member_expression) @name right: (_) @value)) @item.reexport
  (#match? @name "^(module\\.)?exports\\b"))

; What is exported without a declaration.
(export_statement "default" @name value: (arrow_function body: (_) @body)) @item.function
(export_statement "default" @name value: (function_expression body: (_) @body)) @item.function
(export_statement "default" @name value: (class body: (_) @members)) @item.class
(export_statement "default" @name value: (_) @value) @item.constant
(export_statement source: (_) @name) @item.reexport
(export_statement (export_clause) @name) @item.reexport
(export_statement !source (export_clause (export_specifier name: (_) @exported)))
(export_statement "default" value: (identifier) @exported)

(export_statement) @export
(lexical_declaration) @wrapper
(variable_declaration) @wrapper
(comment) @comment
(decorator) @attribute

; Callbacks and control flow declare for themselves.
(arguments [(arrow_function) (function_expression)] @opaque)
[(if_statement) (for_statement) (for_in_statement) (while_statement) (do_statement) (try_statement) (switch_statement)] @opaque

(import_statement source: (_) @import)
(export_statement source: (_) @import)
(call_expression function: (import) arguments: (arguments . (string) @import))
(call_expression function: (identifier) @_require arguments: (arguments . (string) @import) (#eq? @_require "require"))
