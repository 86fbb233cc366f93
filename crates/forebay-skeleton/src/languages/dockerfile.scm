(from_instruction as: (_) @name) @item.instruction
(from_instruction (_) @name) @item.instruction
(arg_instruction (arg_pair name: (_) @name)) @item.instruction
(env_instruction (env_pair name: (_) @name)) @item.instruction
(label_instruction (label_pair key: (_) @name)) @item.instruction
(expose_instruction (_) @name) @item.instruction
[(volume_instruction) (user_instruction) (healthcheck_instruction) (entrypoint_instruction) (workdir_instruction) (stopsignal_instruction) (shell_instruction)] @item.instruction @name
(source_file (cmd_instruction) @item.instruction @name)
(comment) @comment
