package io.github.distlock.smoke;

import io.github.distlock.DistributedLock;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

/**
 * A stock in the database, which is read and then written: two transactions at the same
 * time would lose an update.
 */
@Component
public class LockedStock {

	private final JdbcTemplate jdbc;

	LockedStock(JdbcTemplate jdbc) {
		this.jdbc = jdbc;
	}

	/**
	 * Sell one piece.
	 * @param article the article
	 */
	@Transactional
	@DistributedLock(key = "'stock-' + #article", waitTime = "30s")
	public void sell(String article) {
		int quantity = quantity(article);
		this.jdbc.update("UPDATE smoke_stock SET quantity = ? WHERE article = ?", quantity - 1, article);
	}

	/**
	 * Add a new article.
	 * @param article the article
	 * @param quantity how many pieces
	 */
	public void add(String article, int quantity) {
		this.jdbc.update("INSERT INTO smoke_stock (article, quantity) VALUES (?, ?)", article, quantity);
	}

	/**
	 * Read the quantity.
	 * @param article the article
	 * @return how many pieces are left
	 */
	public int quantity(String article) {
		Integer quantity = this.jdbc.queryForObject("SELECT quantity FROM smoke_stock WHERE article = ?", Integer.class,
				article);
		return (quantity != null) ? quantity : 0;
	}

}
