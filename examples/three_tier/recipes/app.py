"""The shop: answers every request with the catalogue, read from PostgreSQL, as JSON."""

import argparse
import ipaddress
import json
import socket
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import psycopg2


class Server(ThreadingHTTPServer):
    """Holds the address of the database, and listens on an IPv4 or IPv6 address."""

    def __init__(self, address, port, database):
        if address.version == 6:
            self.address_family = socket.AF_INET6
        super().__init__((str(address), port), Handler)
        self.database = database
        self.name = f"{address} port {port}"

    def catalogue(self):
        """The rows of the catalogue. Each call opens a connection, because the database may restart between requests."""
        connection = psycopg2.connect(self.database, connect_timeout=5)
        try:
            with connection.cursor() as cursor:
                cursor.execute("SELECT name, price FROM products ORDER BY price")
                return [{"name": name, "price": price} for name, price in cursor]
        finally:
            connection.close()


class Handler(BaseHTTPRequestHandler):
    """Answers one request."""

    def do_GET(self):  # noqa: N802, the name is http.server's
        try:
            status, content = 200, {"served_by": self.server.name, "products": self.server.catalogue()}
        except psycopg2.Error as error:
            self.log_error("database: %s", error)
            status, content = 503, {"error": "the database does not answer"}
        body = json.dumps(content).encode() + b"\n"
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--address", type=ipaddress.ip_address, required=True)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--database", required=True, help="URL of the database")
    arguments = parser.parse_args()
    with Server(arguments.address, arguments.port, arguments.database) as server:
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            pass


if __name__ == "__main__":
    main()
