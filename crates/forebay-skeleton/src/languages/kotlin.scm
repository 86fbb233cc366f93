(class_declaration "interface" name: (_) @name (class_body) @members) @item.interface
(class_declaration name: (_) @name (class_body) @members) @item.class
(class_declaration name: (_) @name (enum_class_body) @members) @item.enum
(class_declaration name: (_) @name) @item.class
(object_declaration name: (_) @name (class_body) @members) @item.class
(object_declaration name: (_) @name) @item.class
(companion_object "companion" @name (class_body) @members) @item.class
(enum_entry (identifier) @name (class_body) @body) @item.variant
(enum_entry (identifier) @name) @item.variant
(function_declaration name: (_) @name (function_body)? @body) @item.function
(secondary_constructor "constructor" @name (block)? @body) @item.method
(property_declaration (variable_declaration (identifier) @name) [(getter) (setter)] @body) @item.field
(property_declaration (variable_declaration (identifier) @name)) @item.field
(type_alias type: (_) @name) @item.type

(anonymous_initializer) @opaque
(line_comment) @comment
(block_comment) @comment
(import (_) @import)
