(table . (_) @name . (pair) @rest) @item.table
(table . (_) @name) @item.table
(table_array_element . (_) @name . (pair) @rest) @item.table
(table_array_element . (_) @name) @item.table
(pair . (_) @name (_) @value) @item.key
(comment) @comment
