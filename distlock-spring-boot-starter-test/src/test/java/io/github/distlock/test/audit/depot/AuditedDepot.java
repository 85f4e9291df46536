package io.github.distlock.test.audit.depot;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import io.github.distlock.test.audit.AuditedApplication;

import org.springframework.boot.test.context.SpringBootTest;

/**
 * A test of the application. All share one context, and so one audit.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@SpringBootTest(
		properties = { "spring.sql.init.schema-locations=classpath:audit/depot.sql", "spring.flyway.enabled=false" })
@AuditedApplication
@interface AuditedDepot {

}
