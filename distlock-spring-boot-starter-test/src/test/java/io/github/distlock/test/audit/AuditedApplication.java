package io.github.distlock.test.audit;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import io.github.distlock.test.AutoConfigureTestLocks;

import org.springframework.test.context.TestPropertySource;

/**
 * An audited test of an application with a database.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@AuditLocks
@AutoConfigureTestLocks
@TestPropertySource(properties = { "spring.autoconfigure.exclude=", "spring.jpa.hibernate.ddl-auto=none",
		"spring.datasource.generate-unique-name=true", "spring.sql.init.mode=always" })
public @interface AuditedApplication {

}
