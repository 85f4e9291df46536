package io.github.distlock.test.audit.bookshop;

import io.github.distlock.DistributedLock;
import io.github.distlock.OnFailure;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

/**
 * What runs on a schedule.
 */
@Component
class Jobs {

	private final JdbcTemplate jdbc;

	Jobs(JdbcTemplate jdbc) {
		this.jdbc = jdbc;
	}

	@DistributedLock(key = "'mails'", waitTime = "0", onFailure = OnFailure.SKIP)
	@Transactional
	public void sendMails() {
		this.jdbc.queryForList("SELECT id FROM mail WHERE sent = FALSE", Long.class)
			.forEach((id) -> this.jdbc.update("UPDATE mail SET sent = TRUE WHERE id = ?", id));
	}

	@DistributedLock(key = "'statistic'", waitTime = "0", onFailure = OnFailure.SKIP)
	@Transactional
	public void count() {
		Integer sold = this.jdbc.queryForObject("SELECT COUNT(*) FROM customer_order WHERE state = 'SHIPPED'",
				Integer.class);
		this.jdbc.update("UPDATE statistic SET amount = ? WHERE name = 'sold'", sold);
	}

}
