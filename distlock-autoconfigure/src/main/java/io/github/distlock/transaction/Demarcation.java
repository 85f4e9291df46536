package io.github.distlock.transaction;

import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.annotation.BeanFactoryAnnotationUtils;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.annotation.Isolation;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.interceptor.TransactionAttribute;
import org.springframework.transaction.interceptor.TransactionInterceptor;
import org.springframework.util.StringUtils;

/**
 * How a transaction begins around a method.
 *
 * @param interceptor begins it
 * @param attribute its attribute
 * @param type the class of the method
 * @param beans has its manager
 */
public record Demarcation(TransactionInterceptor interceptor, TransactionAttribute attribute, Class<?> type,
		BeanFactory beans) {

	private static final List<Integer> PROPAGATIONS = List.of(Propagation.REQUIRED.value(),
			Propagation.REQUIRES_NEW.value(), Propagation.MANDATORY.value());

	/** Return whether the transaction never joins a running one. */
	boolean isAlwaysNew() {
		return this.attribute.getPropagationBehavior() == Propagation.REQUIRES_NEW.value();
	}

	/**
	 * Return why the transaction cannot be a lock.
	 * @param takesLocks whether the transactions of a manager take locks
	 * @return the reason and the remedy, {@code null} if it can
	 */
	@Nullable String problem(Predicate<TransactionManager> takesLocks) {
		return !PROPAGATIONS.contains(this.attribute.getPropagationBehavior())
				? "has a transaction that may not begin: make its propagation REQUIRED, REQUIRES_NEW or MANDATORY"
				: this.attribute.isReadOnly()
						? "has a read-only transaction, and some databases lock nothing in one: remove readOnly"
						: (this.attribute.getIsolationLevel() > Isolation.READ_COMMITTED.value())
								? "has a transaction whose isolation may not show what the last holder has committed:"
										+ " remove isolation (the default of MariaDB and MySQL is right)"
								: takesLocks.test(manager()) ? null
										: "has a transaction manager that does not work with the DataSource of the store"
												+ " (distlock.jdbc.data-source, else the primary one), or tells no"
												+ " listener of its transactions: name another one in @Transactional";
	}

	/** In the order in which Spring looks for it. */
	private TransactionManager manager() {
		if (StringUtils.hasText(this.attribute.getQualifier())) {
			return qualified(this.attribute.getQualifier());
		}
		String ofType = BeanFactoryAnnotationUtils.getQualifierValue(this.type);
		if (StringUtils.hasText(ofType)) {
			try {
				return qualified(ofType);
			}
			catch (NoSuchBeanDefinitionException ex) {
				// It may qualify something else.
			}
		}
		TransactionManager manager = this.interceptor.getTransactionManager();
		return (manager != null) ? manager : this.beans.getBean(TransactionManager.class);
	}

	private TransactionManager qualified(@Nullable String qualifier) {
		return BeanFactoryAnnotationUtils.qualifiedBeanOfType(this.beans, TransactionManager.class,
				Objects.requireNonNull(qualifier));
	}

}
