(class_definition name: (_) @name body: (_) @members) @item.class
(class_definition name: (_) @name) @item.class
(object_definition name: (_) @name body: (_) @members) @item.class
(object_definition name: (_) @name) @item.class
(package_object name: (_) @name body: (_) @members) @item.module
(trait_definition name: (_) @name body: (_) @members) @item.trait
(trait_definition name: (_) @name) @item.trait
(enum_definition name: (_) @name body: (_) @members) @item.enum
(enum_case_definitions (simple_enum_case name: (_) @name)) @item.variant
(enum_case_definitions (full_enum_case name: (_) @name)) @item.variant
(function_definition name: (_) @name body: (_) @body) @item.function
(function_declaration name: (_) @name) @item.function
(val_definition pattern: (_) @name value: (_) @value) @item.field
(val_declaration name: (_) @name) @item.field
(var_definition pattern: (_) @name value: (_) @value) @item.field
(var_declaration name: (_) @name) @item.field
(type_definition name: (_) @name) @item.type
(given_definition name: (_) @name body: (_)? @body) @item.constant
(given_definition return_type: (_) @name body: (_)? @body) @item.constant
(extension_definition body: (_) @rest) @item.impl
(export_declaration (_) @name .) @item.reexport

(comment) @comment
(block_comment) @comment
(import_declaration) @import
