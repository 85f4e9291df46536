package io.github.distlock.test.audit;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.SpringProperties;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.MergedContextConfiguration;
import org.springframework.test.context.TestContextAnnotationUtils;
import org.springframework.util.function.SingletonSupplier;

/**
 * Adds the audit to the contexts of tests that want it. Registered in
 * {@code spring.factories}.
 */
final class AuditLocksCustomizerFactory implements ContextCustomizerFactory {

	@Override
	public @Nullable ContextCustomizer createContextCustomizer(Class<?> testClass,
			List<ContextConfigurationAttributes> configuration) {
		boolean isWanted = SpringProperties.getFlag("distlock.audit")
				|| TestContextAnnotationUtils.hasAnnotation(testClass, AuditLocks.class);
		return isWanted ? new AuditCustomizer() : null;
	}

	/** Equal to each other: classes with equal configurations share a context. */
	record AuditCustomizer() implements ContextCustomizer {

		@Override
		public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration test) {
			ConfigurableListableBeanFactory beans = context.getBeanFactory();
			Map<String, String> findings = new ConcurrentHashMap<>();
			// The start of the context may already run code of the test.
			CodePlaces places = CodePlaces.of(beans, test.getTestClass());
			AuditedLocks locks = new AuditedLocks(places, new LockOrder(findings, new ConcurrentHashMap<>()),
					SingletonSupplier.of(() -> KeyShapes.of(beans)), ConcurrentHashMap.newKeySet(),
					ConcurrentHashMap.newKeySet());
			LockAudit audit = new LockAudit(places, locks, findings, ConcurrentHashMap.newKeySet(),
					new TableWrites(findings, new ConcurrentHashMap<>()), new AtomicInteger());
			beans.registerSingleton("distlockAudit", audit);
			beans.registerSingleton("distlockAuditedLocks", locks);
			beans.addBeanPostProcessor(new WatchedDataSources(audit));
		}

	}

}
