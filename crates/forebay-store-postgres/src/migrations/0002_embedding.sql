-- What passages mean as a server's model tells, beside the built-in one. Members of a team may use several models,
-- so a passage has one vector a model; without a vector the model had nothing to say.
CREATE TABLE embedding (
    workspace integer NOT NULL,
    project   integer NOT NULL,
    chunk     bigint NOT NULL,
    model     smallint NOT NULL REFERENCES model (id),
    vector    halfvec,
    PRIMARY KEY (workspace, project, chunk, model),
    FOREIGN KEY (workspace, project, chunk) REFERENCES chunk ON DELETE CASCADE
);

-- An index is for vectors of one length: the lengths that models usually have. Others are compared one by one.
CREATE INDEX embedding_near_256 ON embedding USING hnsw ((vector::halfvec(256)) halfvec_cosine_ops)
    WHERE vector_dims(vector) = 256;
CREATE INDEX embedding_near_384 ON embedding USING hnsw ((vector::halfvec(384)) halfvec_cosine_ops)
    WHERE vector_dims(vector) = 384;
CREATE INDEX embedding_near_512 ON embedding USING hnsw ((vector::halfvec(512)) halfvec_cosine_ops)
    WHERE vector_dims(vector) = 512;
CREATE INDEX embedding_near_768 ON embedding USING hnsw ((vector::halfvec(768)) halfvec_cosine_ops)
    WHERE vector_dims(vector) = 768;
CREATE INDEX embedding_near_1024 ON embedding USING hnsw ((vector::halfvec(1024)) halfvec_cosine_ops)
    WHERE vector_dims(vector) = 1024;
CREATE INDEX embedding_near_1536 ON embedding USING hnsw ((vector::halfvec(1536)) halfvec_cosine_ops)
    WHERE vector_dims(vector) = 1536;
CREATE INDEX embedding_near_3072 ON embedding USING hnsw ((vector::halfvec(3072)) halfvec_cosine_ops)
    WHERE vector_dims(vector) = 3072;

ALTER TABLE embedding ENABLE ROW LEVEL SECURITY;
ALTER TABLE embedding FORCE ROW LEVEL SECURITY;
CREATE POLICY own_workspace ON embedding USING
    (workspace = (SELECT nullif(current_setting('forebay.workspace', true), '')::integer));
