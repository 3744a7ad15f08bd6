"""A stock Scrapy project. scythe comes in by ADDONS; what it is to keep and to give is said in the lines below."""

BOT_NAME = "tc"
SPIDER_MODULES = ["tc.spiders"]
COMMANDS_MODULE = "tc.commands"
ROBOTSTXT_OBEY = True
DOWNLOAD_DELAY = 0.25

ADDONS = {"scythe.scrapy.Addon": 300}
SCYTHE_PROFILES = "profiles"  # a folder with a file per site, which `scrapy teach` writes
SCYTHE_FIELDS = {"page": "url", "title": "title", "images": "images"}
SCYTHE_LEARN = False  # a person teaches this project what matters; nothing is learned besides
