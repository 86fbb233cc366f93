(namespace_definition name: (_) @name body: (_) @members) @item.module
(namespace_definition name: (_) @name) @item.module
(class_declaration name: (_) @name body: (_) @members) @item.class
(interface_declaration name: (_) @name body: (_) @members) @item.interface
(trait_declaration name: (_) @name body: (_) @members) @item.trait
(enum_declaration name: (_) @name body: (_) @members) @item.enum
(enum_case name: (_) @name) @item.variant
(function_definition name: (_) @name body: (_) @body) @item.function
(method_declaration name: (_) @name body: (_)? @body) @item.method
(property_declaration (property_element name: (_) @name default_value: (_)? @value) (property_hook_list)? @value) @item.field
(const_declaration (const_element (name) @name (_) @value)) @item.constant
(use_declaration (_) @name) @item.reexport

(comment) @comment
(namespace_use_clause (_) @import)
