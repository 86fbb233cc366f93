(program (binary_operator lhs: (_) @name operator: ["<-" "=" "<<-"] rhs: (function_definition body: (_) @body)) @item.function)
(program (binary_operator lhs: (_) @name operator: ["<-" "=" "<<-"] rhs: (_) @value) @item.constant)
((program (call function: (identifier) @_word arguments: (arguments . (argument value: (string) @name))) @item.class)
  (#any-of? @_word "setClass" "setGeneric" "setMethod" "setValidity" "setRefClass"))
(comment) @comment
((call function: (identifier) @_word arguments: (arguments . (argument value: (_) @import)))
  (#any-of? @_word "library" "require" "source"))
