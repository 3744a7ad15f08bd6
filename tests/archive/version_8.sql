BEGIN TRANSACTION;
CREATE TABLE assignments (id INTEGER NOT NULL, site INTEGER NOT NULL REFERENCES sites (id), kind TEXT NOT NULL, start TEXT NOT NULL, options TEXT NOT NULL, state TEXT NOT NULL, why TEXT DEFAULT '' NOT NULL, attempts INTEGER DEFAULT '0' NOT NULL, added_at DOUBLE NOT NULL, began_at DOUBLE, ended_at DOUBLE, PRIMARY KEY (id), UNIQUE (site, kind));
CREATE TABLE bodies (
	hash BLOB NOT NULL, 
	size BIGINT NOT NULL, 
	packed BLOB NOT NULL, store TEXT, dictionary BIGINT REFERENCES dictionaries (id), 
	PRIMARY KEY (hash)
);
INSERT INTO "bodies" VALUES(X'5D5455424553688669053E855BFB4284',12,X'28B52FFD200C6100003C703E6C616B65733C2F703E',NULL,NULL);
CREATE TABLE cursors (name TEXT NOT NULL, position BIGINT NOT NULL, PRIMARY KEY (name));
CREATE TABLE dictionaries (id BIGINT NOT NULL, site INTEGER NOT NULL REFERENCES sites (id), packed BLOB NOT NULL, size BIGINT NOT NULL, bodies BIGINT NOT NULL, next_try BIGINT NOT NULL, at DOUBLE NOT NULL, PRIMARY KEY (id));
CREATE TABLE extractions (
	version INTEGER NOT NULL, 
	text_of INTEGER, 
	title TEXT NOT NULL, 
	text TEXT, 
	markdown TEXT, 
	html TEXT, 
	rest TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	language TEXT NOT NULL, 
	published TEXT NOT NULL, 
	how TEXT NOT NULL, 
	cut_fields INTEGER NOT NULL, 
	tree_fields INTEGER NOT NULL, 
	missing_fields INTEGER NOT NULL, 
	checksum BLOB, profile INTEGER, made_by TEXT DEFAULT '' NOT NULL, 
	PRIMARY KEY (version), 
	FOREIGN KEY(version) REFERENCES versions (id), 
	FOREIGN KEY(text_of) REFERENCES extractions (version)
);
INSERT INTO "extractions" VALUES(1,NULL,'lakes','What is known about lakes. What is known about lakes. What is known about lakes. What is known about lakes. What is known about lakes. What is known about lakes. What is known about lakes. What is known about lakes. What is known about lakes. What is known about lakes. What is known about lakes. Wha',NULL,NULL,'{}','','','','cold',0,0,0,X'38F915CFA5382FCDC69A0475B8527039',NULL,'');
INSERT INTO "extractions" VALUES(2,1,'lakes',NULL,NULL,NULL,'{}','','','','cold',0,0,0,X'DBF912118569CB59A0828A75F34DBBFF',NULL,'');
CREATE TABLE fetches (
	id INTEGER NOT NULL, 
	url INTEGER NOT NULL, 
	site INTEGER NOT NULL, 
	at DOUBLE NOT NULL, 
	status INTEGER, 
	state TEXT NOT NULL, 
	why TEXT NOT NULL, 
	seconds DOUBLE NOT NULL, 
	size BIGINT NOT NULL, 
	content_type TEXT NOT NULL, 
	is_unchanged BOOLEAN NOT NULL, 
	cut_at_bytes BIGINT, 
	headers TEXT, 
	body BLOB, 
	PRIMARY KEY (id), 
	FOREIGN KEY(url) REFERENCES urls (id), 
	FOREIGN KEY(site) REFERENCES sites (id), 
	FOREIGN KEY(body) REFERENCES bodies (hash)
);
INSERT INTO "fetches" VALUES(1,1,1,1777896000.0,200,'done','',0.1,1000,'',0,NULL,'[["Content-Type", "text/html"]]',X'5D5455424553688669053E855BFB4284');
INSERT INTO "fetches" VALUES(2,2,1,1777896000.0,200,'done','',0.1,1000,'',0,NULL,NULL,NULL);
INSERT INTO "fetches" VALUES(3,3,1,1777896000.0,503,'retry','503',0.0,0,'',0,NULL,NULL,NULL);
CREATE TABLE "hosts" (
	id INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	free_at DOUBLE DEFAULT '0' NOT NULL, 
	slow DOUBLE DEFAULT '1' NOT NULL, 
	owner TEXT, 
	until DOUBLE, 
	wanted_by TEXT, 
	wanted_at DOUBLE, 
	PRIMARY KEY (id), 
	UNIQUE (name)
);
INSERT INTO "hosts" VALUES(1,'site.example',0.0,1.0,NULL,NULL,NULL,NULL);
CREATE TABLE "lists" (id INTEGER NOT NULL, watch INTEGER NOT NULL REFERENCES watches (id), number INTEGER NOT NULL, name TEXT NOT NULL, kind TEXT NOT NULL, pattern TEXT NOT NULL, columns TEXT NOT NULL, shapes TEXT NOT NULL, newest TEXT NOT NULL, sticky TEXT NOT NULL, rank INTEGER NOT NULL, shown INTEGER NOT NULL, has_gap BOOLEAN NOT NULL, estimator TEXT NOT NULL, wait_s DOUBLE, expected DOUBLE NOT NULL, risk DOUBLE NOT NULL, rate DOUBLE NOT NULL, why TEXT NOT NULL, first_at DOUBLE NOT NULL, seen_at DOUBLE NOT NULL, missing INTEGER NOT NULL, looks INTEGER NOT NULL, records BIGINT NOT NULL, lost BIGINT NOT NULL, PRIMARY KEY (id), UNIQUE (watch, number));
CREATE TABLE looks (id INTEGER NOT NULL, list INTEGER NOT NULL REFERENCES "lists" (id), at DOUBLE NOT NULL, since_s DOUBLE, shown INTEGER, new INTEGER NOT NULL, known INTEGER NOT NULL, recovered INTEGER NOT NULL, lost INTEGER NOT NULL, is_full BOOLEAN NOT NULL, has_gap BOOLEAN NOT NULL, requests INTEGER NOT NULL, wait_s DOUBLE, expected DOUBLE NOT NULL, risk DOUBLE NOT NULL, rate DOUBLE NOT NULL, why TEXT NOT NULL, PRIMARY KEY (id));
CREATE TABLE near (
	bucket BIGINT NOT NULL, 
	page INTEGER NOT NULL, 
	simhash BIGINT NOT NULL, 
	PRIMARY KEY (bucket, page), 
	FOREIGN KEY(page) REFERENCES pages (id)
)
 WITHOUT ROWID

;
INSERT INTO "near" VALUES(262149,1,-9223372036854775803);
INSERT INTO "near" VALUES(327680,1,-9223372036854775803);
INSERT INTO "near" VALUES(393216,1,-9223372036854775803);
INSERT INTO "near" VALUES(491520,1,-9223372036854775803);
CREATE TABLE pages (
	id INTEGER NOT NULL, 
	site INTEGER NOT NULL, 
	version INTEGER NOT NULL, 
	versions INTEGER NOT NULL, 
	is_complete BOOLEAN NOT NULL, 
	body_hash BLOB NOT NULL, 
	text_hash BLOB, 
	simhash BIGINT, 
	duplicate_of INTEGER, 
	first_at DOUBLE NOT NULL, 
	changed_at DOUBLE NOT NULL, 
	seen_at DOUBLE NOT NULL, 
	gone_at DOUBLE, 
	PRIMARY KEY (id), 
	FOREIGN KEY(id) REFERENCES urls (id), 
	FOREIGN KEY(site) REFERENCES sites (id), 
	FOREIGN KEY(duplicate_of) REFERENCES pages (id)
);
INSERT INTO "pages" VALUES(1,1,1,1,1,X'C88D4DF74262143A08E9D190E3BD67F1',X'9868506B19C8A7BE61891B9C22505FE8',-9223372036854775803,NULL,1777896000.0,1777896000.0,1777896000.0,NULL);
INSERT INTO "pages" VALUES(2,1,2,1,1,X'D681734F8C454B90DF4D5FEEA7487445',X'9868506B19C8A7BE61891B9C22505FE8',NULL,1,1777896000.0,1777896000.0,1777896000.0,NULL);
CREATE TABLE profiles (
	site INTEGER NOT NULL, 
	version INTEGER NOT NULL, 
	profile TEXT NOT NULL, 
	at DOUBLE NOT NULL, rules BLOB, 
	PRIMARY KEY (site, version), 
	FOREIGN KEY(site) REFERENCES sites (id)
);
INSERT INTO "profiles" VALUES(1,1,'{}',1777896000.0,NULL);
CREATE TABLE records (
	id INTEGER NOT NULL, 
	site INTEGER NOT NULL, 
	identity BLOB NOT NULL, 
	told_by TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	fields TEXT NOT NULL, 
	fields_hash BLOB NOT NULL, 
	links TEXT NOT NULL, 
	images TEXT NOT NULL, 
	html TEXT NOT NULL, 
	first_page INTEGER NOT NULL, 
	first_at DOUBLE NOT NULL, 
	checksum BLOB, watch INTEGER, 
	PRIMARY KEY (id), 
	UNIQUE (site, identity), 
	FOREIGN KEY(site) REFERENCES sites (id), 
	FOREIGN KEY(first_page) REFERENCES pages (id)
);
INSERT INTO "records" VALUES(1,1,X'24BEA401DE8CBFEC6986E3AFEDFB06F9','links','list','{"title":"Boat"}',X'1C1E12C924E812A699A39D2DC549377B','["http://site.example/x"]','[]','',1,1777896000.0,X'F701672C22B842316EF9C9C6AF10A33F',NULL);
CREATE TABLE requests (id INTEGER NOT NULL, crawl TEXT NOT NULL, key BLOB, host TEXT NOT NULL, url TEXT NOT NULL, priority INTEGER NOT NULL, request TEXT NOT NULL, state TEXT NOT NULL, owner TEXT, until DOUBLE, found_at DOUBLE NOT NULL, ended_at DOUBLE, PRIMARY KEY (id), UNIQUE (crawl, key));
CREATE TABLE robots (
	origin TEXT NOT NULL, 
	status SMALLINT, 
	body BLOB NOT NULL, 
	fetched_at DOUBLE NOT NULL, 
	PRIMARY KEY (origin)
);
CREATE TABLE scythe_archive (
	id INTEGER NOT NULL CHECK (id = 1), 
	version INTEGER NOT NULL, 
	made_at DOUBLE NOT NULL, 
	made_by TEXT NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "scythe_archive" VALUES(1,8,1777896000.0,'0.1.0.dev0');
CREATE TABLE sightings (
	record INTEGER NOT NULL, 
	page INTEGER NOT NULL, 
	first_at DOUBLE NOT NULL, 
	last_at DOUBLE NOT NULL, 
	times INTEGER NOT NULL, 
	fields TEXT, 
	list_number SMALLINT, 
	place INTEGER, 
	PRIMARY KEY (record, page), 
	FOREIGN KEY(record) REFERENCES records (id), 
	FOREIGN KEY(page) REFERENCES pages (id)
)
 WITHOUT ROWID

;
INSERT INTO "sightings" VALUES(1,1,1777896000.0,1777896000.0,1,NULL,0,0);
CREATE TABLE "site_hosts" (
	site INTEGER NOT NULL, 
	host INTEGER NOT NULL, 
	PRIMARY KEY (site, host), 
	FOREIGN KEY(site) REFERENCES sites (id), 
	FOREIGN KEY(host) REFERENCES "hosts" (id)
)
 WITHOUT ROWID

;
INSERT INTO "site_hosts" VALUES(1,1);
CREATE TABLE sites (
	id INTEGER NOT NULL, 
	"key" TEXT NOT NULL, 
	start TEXT NOT NULL, 
	added_at DOUBLE NOT NULL, 
	notes TEXT DEFAULT '' NOT NULL, learner TEXT, learner_until DOUBLE, 
	PRIMARY KEY (id), 
	UNIQUE ("key")
);
INSERT INTO "sites" VALUES(1,'site.example','http://site.example/',1777896000.0,'{}',NULL,NULL);
CREATE TABLE urls (
	id INTEGER NOT NULL, 
	site INTEGER NOT NULL, 
	host INTEGER NOT NULL, 
	"key" BLOB NOT NULL, 
	url TEXT NOT NULL, 
	how TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	depth INTEGER NOT NULL, 
	hops INTEGER NOT NULL, 
	rank INTEGER NOT NULL, 
	state TEXT NOT NULL, 
	why TEXT DEFAULT '' NOT NULL, 
	attempts INTEGER DEFAULT '0' NOT NULL, 
	due_at DOUBLE, 
	found_on INTEGER, 
	found_at DOUBLE NOT NULL, 
	visited_at DOUBLE, 
	etag TEXT DEFAULT '' NOT NULL, 
	modified TEXT DEFAULT '' NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (site, "key"), 
	CONSTRAINT waiting_is_due CHECK ((state IN ('new', 'retry')) = (due_at IS NOT NULL)), 
	FOREIGN KEY(site) REFERENCES sites (id), 
	FOREIGN KEY(host) REFERENCES "hosts" (id)
);
INSERT INTO "urls" VALUES(1,1,1,X'F6E2D638DFBC7FB30D59B8580E8B1373','http://site.example/a','link','page',0,0,0,'done','',0,NULL,NULL,1777896000.0,1777896000.0,'"1"','');
INSERT INTO "urls" VALUES(2,1,1,X'7EA2F726295E29FFAE5D6B527FF69610','http://site.example/b','link','page',0,0,0,'done','',0,NULL,NULL,1777896000.0,1777896000.0,'','');
INSERT INTO "urls" VALUES(3,1,1,X'9B15A6D07B8A9075BE08B444BA4638EE','http://site.example/c','link','page',0,0,0,'retry','503',1,1777896030.0,NULL,1777896000.0,1777896000.0,'','');
INSERT INTO "urls" VALUES(4,1,1,X'7D306220EED8804A0708D28FAAC585F5','http://site.example/d','link','page',0,0,0,'new','',0,0.0,NULL,1777896000.0,NULL,'','');
INSERT INTO "urls" VALUES(5,1,1,X'D98BC5A9DCB1DD4F3BB9C11D01A2967A','http://site.example/x','link','page',0,0,0,'new','',0,0.0,1,1777896000.0,NULL,'','');
CREATE TABLE versions (
	id INTEGER NOT NULL, 
	page INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	at DOUBLE NOT NULL, 
	body_hash BLOB NOT NULL, 
	size BIGINT NOT NULL, 
	content_type TEXT NOT NULL, 
	is_complete BOOLEAN NOT NULL, 
	duplicate_of INTEGER, 
	near INTEGER, body BLOB REFERENCES bodies (hash), 
	PRIMARY KEY (id), 
	UNIQUE (page, number), 
	FOREIGN KEY(page) REFERENCES pages (id)
);
INSERT INTO "versions" VALUES(1,1,1,1777896000.0,X'C88D4DF74262143A08E9D190E3BD67F1',1000,'',1,NULL,NULL,X'5D5455424553688669053E855BFB4284');
INSERT INTO "versions" VALUES(2,2,1,1777896000.0,X'D681734F8C454B90DF4D5FEEA7487445',1000,'',1,1,NULL,NULL);
CREATE TABLE watches (id INTEGER NOT NULL REFERENCES urls (id), site INTEGER NOT NULL REFERENCES sites (id), options TEXT NOT NULL, notes TEXT DEFAULT '' NOT NULL, added_at DOUBLE NOT NULL, ended_at DOUBLE, PRIMARY KEY (id));
CREATE TABLE workers (owner TEXT NOT NULL, name TEXT NOT NULL, made_by TEXT NOT NULL, began_at DOUBLE NOT NULL, seen_at DOUBLE NOT NULL, heartbeat_s DOUBLE NOT NULL, places INTEGER NOT NULL, sites TEXT DEFAULT '[]' NOT NULL, number BIGINT, PRIMARY KEY (owner));
CREATE INDEX ix_fetches_url ON fetches (url);
CREATE INDEX ix_fetches_site ON fetches (site);
CREATE INDEX pages_text ON pages (text_hash) WHERE duplicate_of IS NULL;
CREATE INDEX pages_copies ON pages (duplicate_of) WHERE duplicate_of IS NOT NULL;
CREATE INDEX ix_pages_site ON pages (site);
CREATE INDEX pages_body ON pages (body_hash) WHERE duplicate_of IS NULL;
CREATE INDEX ix_sightings_page ON sightings (page);
CREATE INDEX records_watched ON records (id) WHERE watch IS NOT NULL;
CREATE INDEX records_of_watch ON records (watch, id) WHERE watch IS NOT NULL;
CREATE INDEX ix_watches_site ON watches (site);
CREATE INDEX requests_held ON requests (owner) WHERE owner IS NOT NULL;
CREATE INDEX urls_waiting ON urls (site, host, rank, depth, id, due_at, kind) WHERE due_at IS NOT NULL;
CREATE INDEX urls_watched ON urls (site, host, rank, depth, id, due_at, kind) WHERE due_at IS NOT NULL AND kind IN ('list', 'item');
CREATE INDEX requests_waiting ON requests (crawl, host, priority DESC, id) WHERE state = 'waiting';
CREATE INDEX looks_list ON looks (list, id);
CREATE INDEX ix_dictionaries_site ON dictionaries (site);
CREATE INDEX extractions_text_of ON extractions (text_of) WHERE text_of IS NOT NULL;
COMMIT;
