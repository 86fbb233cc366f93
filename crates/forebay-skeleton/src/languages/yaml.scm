(block_mapping_pair key: (_) @name value: (block_node (block_mapping) @members)) @item.key
(block_mapping_pair key: (_) @name value: (block_node (block_sequence) @body)) @item.key
(block_mapping_pair key: (_) @name value: (_)? @value) @item.key
(stream (document) . (comment)* . (document "---" @item.instruction))
(block_sequence) @opaque
(comment) @comment
