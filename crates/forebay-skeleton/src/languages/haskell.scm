(data_type name: (_) @name) @item.enum
(newtype name: (_) @name) @item.struct
(type_synonym name: (_) @name) @item.type
(class name: (_) @name declarations: (_) @members) @item.trait
(class name: (_) @name) @item.trait
(instance name: (_) @name declarations: (_) @body) @item.impl
(instance name: (_) @name) @item.impl
(signature name: (_) @name) @item.function
(signature names: (binding_list (_) @name)) @item.function

(exports (export [variable: (_) type: (_)] @exported))
[(function) (bind)] @opaque
(comment) @comment
(haddock) @comment
(import module: (_) @import)
