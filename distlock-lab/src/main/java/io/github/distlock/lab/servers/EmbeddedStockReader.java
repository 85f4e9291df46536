package io.github.distlock.lab.servers;

import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

import org.jspecify.annotations.Nullable;

/**
 * Reads the stock from the embedded database, which is in this JVM. It has a connection
 * of its own: buyers that wait for a row occupy all connections of a node. For use by one
 * thread at a time.
 */
final class EmbeddedStockReader implements StockReader {

	private static final String QUERY = """
			SELECT quantity + (SELECT COALESCE(SUM(part.quantity), 0) FROM stock_segments part
			WHERE part.sku = stock.sku),
			(SELECT COUNT(*) FROM sales WHERE sales.sku = stock.sku),
			(SELECT COUNT(DISTINCT serial_number) FROM sales WHERE sales.sku = stock.sku)
			FROM stock WHERE sku = ?""";

	private final EmbeddedDatabase database;

	private @Nullable Connection connection;

	EmbeddedStockReader(EmbeddedDatabase database) {
		this.database = database;
	}

	@Override
	public StockLevel read() throws IOException {
		try {
			Connection open = this.connection;
			if (open == null || open.isClosed()) {
				open = this.database.connect();
				this.connection = open;
			}
			return read(open);
		}
		catch (SQLException ex) {
			throw new IOException("The embedded database does not answer: " + ex.getMessage(), ex);
		}
	}

	private static StockLevel read(Connection connection) throws IOException, SQLException {
		try (PreparedStatement query = connection.prepareStatement(QUERY)) {
			query.setString(1, StockLevel.ARTICLE);
			try (ResultSet result = query.executeQuery()) {
				if (!result.next()) {
					throw new IOException("The embedded database has no article '%s'".formatted(StockLevel.ARTICLE));
				}
				return new StockLevel(StockLevel.ARTICLE, result.getLong(1), result.getLong(2), result.getLong(3));
			}
		}
	}

}
