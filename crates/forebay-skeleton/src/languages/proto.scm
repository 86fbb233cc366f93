(message (message_name) @name (message_body) @members) @item.struct
(extend (full_ident) @name (message_body) @members) @item.impl
(enum (enum_name) @name (enum_body) @members) @item.enum
(service (service_name) @name . (_) @rest) @item.interface
(rpc (rpc_name) @name . (_) "{" @body) @item.method
(rpc (rpc_name) @name) @item.method
(oneof (identifier) @name . (_) @rest) @item.union
(field (type) (identifier) @name) @item.field
(map_field (type) (identifier) @name) @item.field
(oneof_field (type) (identifier) @name) @item.field
(enum_field (identifier) @name) @item.variant
(package (full_ident) @name) @item.module
(comment) @comment
(import path: (_) @import)
