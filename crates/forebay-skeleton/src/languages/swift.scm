(class_declaration declaration_kind: "struct" name: (_) @name body: (_) @members) @item.struct
(class_declaration declaration_kind: "enum" name: (_) @name body: (_) @members) @item.enum
(class_declaration declaration_kind: "extension" name: (_) @name body: (_) @members) @item.impl
(class_declaration name: (_) @name body: (_) @members) @item.class
(protocol_declaration name: (_) @name body: (_) @members) @item.interface
(enum_entry name: (_) @name) @item.variant
(function_declaration name: (_) @name body: (_) @body) @item.function
(protocol_function_declaration name: (_) @name) @item.method
(init_declaration name: "init" @name body: (_)? @body) @item.method
(subscript_declaration "subscript" @name (computed_property) @body) @item.method
(property_declaration name: (pattern bound_identifier: (_) @name) computed_value: (_) @body) @item.field
(property_declaration name: (pattern bound_identifier: (_) @name) value: (_)? @value) @item.field
(protocol_property_declaration name: (pattern bound_identifier: (_) @name)) @item.field
(associatedtype_declaration name: (_) @name) @item.type
(typealias_declaration name: (_) @name) @item.type
(macro_declaration (simple_identifier) @name definition: (_) @body) @item.macro
(macro_declaration (simple_identifier) @name) @item.macro
(operator_declaration (_) @name) @item.type
(precedence_group_declaration (simple_identifier) @name (precedence_group_attributes) @value) @item.type

(deinit_declaration) @opaque
(comment) @comment
(multiline_comment) @comment
(import_declaration (identifier) @import)
