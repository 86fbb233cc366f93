(create_table (object_reference) @name (column_definitions) @members) @item.table
(create_table (object_reference) @name (create_query) @body) @item.table
(column_definition name: (_) @name) @item.field
(constraint name: (_) @name) @item.key
(constraint) @item.key
(create_view (object_reference) @name (create_query) @value) @item.table
(create_materialized_view (object_reference) @name (create_query) @value) @item.table
(create_index column: (_) @name) @item.key
(create_index (object_reference) @name) @item.key
; Procedures are normalized to functions; their return type is not shown.
((create_function (keyword_function) @_word (object_reference) @name (keyword_returns) @body) @item.function
  (#match? @_word "^(?i)procedur"))
(create_function (object_reference) @name (function_body) @body) @item.function
(create_trigger (object_reference) @name) @item.function
(create_type (object_reference) @name) @item.type
(create_schema (identifier) @name) @item.module
(create_sequence (object_reference) @name) @item.key
(create_extension (identifier) @name) @item.module
(alter_table (object_reference) @name) @item.table
(comment) @comment
(marginalia) @comment
