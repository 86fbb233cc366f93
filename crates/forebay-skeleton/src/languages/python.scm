(module . (comment)* . (expression_statement (string) @module_doc))

(function_definition name: (_) @name body: (block . (expression_statement (string) @doc)) @body) @item.function
(function_definition name: (_) @name body: (_) @body) @item.function
(class_definition name: (_) @name body: (block . (expression_statement (string) @doc)) @members) @item.class
(class_definition name: (_) @name body: (_) @members) @item.class
(decorator) @attribute

(expression_statement (assignment left: (identifier) @name right: (_)? @value)) @item.constant
(expression_statement (assignment left: (pattern_list (identifier) @name) right: (_)? @value)) @item.constant
(expression_statement (assignment left: (tuple_pattern (identifier) @name) right: (_)? @value)) @item.constant
(type_alias_statement . (type) @name) @item.type

; Names listed in `__all__`; imports among them are re-exports.
((assignment left: (identifier) @_all right: (_ (string (string_content) @exported)))
  (#eq? @_all "__all__"))
((augmented_assignment left: (identifier) @_all right: (_ (string (string_content) @exported)))
  (#eq? @_all "__all__"))
(import_from_statement name: (dotted_name) @name) @item.reexport
(import_from_statement name: (aliased_import alias: (_) @name)) @item.reexport
(import_from_statement (wildcard_import) @name) @item.reexport

(comment) @comment

; Loops and the `__main__` block are not part of the module.
[(for_statement) (while_statement) (match_statement)] @opaque
((if_statement condition: (comparison_operator (identifier) @_name)) @opaque
  (#eq? @_name "__name__"))

[(import_statement) (import_from_statement)] @import
