(pair key: (_) @name value: (object) @members) @item.key
(pair key: (_) @name value: (_) @value) @item.key
(array) @opaque
(comment) @comment
