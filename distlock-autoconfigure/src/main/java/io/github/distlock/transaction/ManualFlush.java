package io.github.distlock.transaction;

import org.hibernate.FlushMode;
import org.hibernate.Session;

import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Sessions of Hibernate that send nothing unless they are told to, not even at the
 * commit. Loaded only where Hibernate is.
 */
final class ManualFlush {

	private ManualFlush() {
	}

	/**
	 * Return whether a session of this thread is flushed by hand.
	 */
	static boolean isWanted() {
		return TransactionSynchronizationManager.getResourceMap().values().stream().anyMatch(ManualFlush::isManual);
	}

	private static boolean isManual(Object resource) {
		return resource instanceof EntityManagerHolder holder && holder.getEntityManager() instanceof Session session
				&& session.getHibernateFlushMode() == FlushMode.MANUAL;
	}

}
