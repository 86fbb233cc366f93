(data_type name: (_) @name constructors: (gadt_constructors) @members) @item.enum
(gadt_constructor name: (_) @name) @item.variant
(data_type name: (_) @name) @item.enum
(newtype name: (_) @name) @item.struct
(type_synonym name: (_) @name) @item.type
(type_family name: (_) @name closed_family: (_) @body) @item.type
(type_family name: (_) @name) @item.type
(data_family name: (_) @name) @item.type
(pattern_synonym (signature synonym: (_) @name)) @item.constant
(pattern_synonym (equation synonym: (_) @name pattern: (_) @value)) @item.constant
(fixity operator: (_) @name) @item.instruction
(class name: (_) @name declarations: (_) @members) @item.trait
(class name: (_) @name) @item.trait
(instance name: (_) @name declarations: (_) @body) @item.impl
(instance name: (_) @name) @item.impl
(deriving_instance name: (_) @name) @item.impl
(signature name: (_) @name) @item.function
(signature names: (binding_list (_) @name)) @item.function
; Equations; a name without a signature is declared by its first equation.
(function name: (_) @name . match: (_) @body) @item.function
(function name: (_) @name patterns: (_) . match: (_) @body) @item.function
(function (infix operator: (_) @name) . match: (_) @body) @item.function
(bind name: (_) @name . match: (_) @body) @item.function
(bind !name) @opaque

(exports (export [variable: (_) type: (_)] @exported))
(comment) @comment
(haddock) @comment
(import module: (_) @import)
