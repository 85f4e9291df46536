package io.github.distlock.autoconfigure;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import javax.sql.DataSource;

import io.github.distlock.LockListener;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.function.SingletonSupplier;

/**
 * Logs a warning, once for each method or other name of a lock, if a lock is requested
 * while its thread uses a connection of the same pool.
 */
class JdbcTransactionWarning implements LockListener {

	private static final Log logger = LogFactory.getLog(JdbcTransactionWarning.class);

	private static final String BACKEND = "jdbc";

	/**
	 * Limit for names that contain keys: after so many warnings further ones add nothing.
	 */
	private static final int MAX_NAMES = 1000;

	private final Set<String> warned = ConcurrentHashMap.newKeySet();

	private final Supplier<DataSource> dataSource;

	JdbcTransactionWarning(Supplier<DataSource> dataSource) {
		this.dataSource = SingletonSupplier.of(dataSource);
	}

	/** Called on the thread of the caller that waits for the lock. */
	@Override
	public void onAttempted(Attempted event) {
		if (!event.backend().equals(BACKEND) || TransactionSynchronizationManager.getResourceMap().isEmpty()
				|| this.warned.size() >= MAX_NAMES || this.warned.contains(event.name()) || !usesConnection()) {
			return;
		}
		if (this.warned.add(event.name())) {
			logger.warn("Lock " + event.name() + " was requested inside a transaction of the DataSource in which the"
					+ " locks are kept. The caller uses a connection of that pool and needs a second one for its lock."
					+ " Take the lock before the transaction begins, make the pool larger than the number of callers"
					+ " that are inside transactions at the same time, or use a separate DataSource for the locks"
					+ " (distlock.jdbc.data-source). This is logged once for each method");
		}
	}

	private boolean usesConnection() {
		DataSource pool = this.dataSource.get();
		while (pool != null) {
			if (TransactionSynchronizationManager.hasResource(pool)) {
				return true;
			}
			pool = (pool instanceof DelegatingDataSource proxy) ? proxy.getTargetDataSource() : null;
		}
		return false;
	}

}
