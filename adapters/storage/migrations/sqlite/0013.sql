-- What a secret key that is taken out of use must not open any more, and what must outlast it.
--
-- The URLs of a document carry a random token each, of which a hash lies here. A document of before
-- has none: its URLs end, and its bytes are uploaded anew.
alter table documents add column upload_token_hash text not null default '';
alter table documents add column read_token_hash text not null default '';
